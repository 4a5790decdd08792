"""The image: its file is linted with every commit, built and run for real under the marker ``operations``.

Start at ``buildah.py`` (an image without a daemon) and ``running_image.py`` (a program of the image, as a runtime
would start it).
"""

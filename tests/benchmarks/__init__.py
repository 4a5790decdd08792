"""The figures of speed (`make bench`): what the program costs against reference runs on the same machine."""

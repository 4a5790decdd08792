"""The main job over encrypted connections: logins, rights and certificates as the guide for deployment gives them."""

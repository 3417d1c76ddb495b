"""The search indexes of the service, by name.

A client names a store and never a place: embedded stores are kept under their name in one file
of the service, and other systems are those of the server's own configuration.
"""

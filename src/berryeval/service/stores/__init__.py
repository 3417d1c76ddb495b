"""The search indexes of the service, by name.

A client names a store, never a location: embedded stores are in one file of the service, by name,
and other systems are in the configuration of the server.
"""

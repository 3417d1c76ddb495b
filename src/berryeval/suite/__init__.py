"""Complete jobs, shared by the command line, the service and the pytest plugin."""

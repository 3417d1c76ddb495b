"""Files of the Search Relevance Workbench of OpenSearch."""

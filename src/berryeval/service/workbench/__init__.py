"""The workbench: the pages where people judge, compare and decide."""

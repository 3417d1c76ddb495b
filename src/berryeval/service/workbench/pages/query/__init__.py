"""The pages Queries and Query: all queries, and the results of two runs for one of them."""

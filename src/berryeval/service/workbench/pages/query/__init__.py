"""The pages Queries and Query: what is asked, and what two runs answer to one of them."""

"""Work in processes that can be ended: it takes long, needs much memory, or reads foreign files."""

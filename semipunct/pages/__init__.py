"""Pages for browsers, and pictures of trees."""

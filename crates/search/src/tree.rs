//! Searches over trees, built on any search over a list.

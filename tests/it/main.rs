//! One integration binary: the program as its users run it.

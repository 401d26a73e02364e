//! Speaks both sockets; small, no async runtime.

//! What is allowed because it only reads.

//! Deny rules that are walked around, and identities that are only claimed.

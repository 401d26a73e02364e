//! What a command line would really run: shell syntax, wrappers, interpreters. Pure.

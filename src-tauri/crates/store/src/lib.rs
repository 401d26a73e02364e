//! The record: SQLite, one file per table.

//! Runs that reach for Postern's own controls, and what the audit tells of it.

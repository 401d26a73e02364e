//! The desktop app.

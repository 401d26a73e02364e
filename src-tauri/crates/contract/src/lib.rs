//! What a window or terminal is told and may ask. Pure.

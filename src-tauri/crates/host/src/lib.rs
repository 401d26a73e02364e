//! The gate and its adapters.

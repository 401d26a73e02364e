//! One request's life: state, event, effect. Pure.

//! The order of a verdict, stage by stage.

mod bounds;
mod changeable;
mod classes;
mod confined;
mod core;
mod deny_rules;
mod doubt;
mod files;
mod generated;
mod hooks;
mod layers;
mod limits;
mod look;
mod lookup;
mod opened;
mod order;
mod own_shell;
mod redirected;
mod rules;
mod saved_words;
mod values;
mod weighing;

//! Whole readings: what a line is understood to run.

mod corpus;
mod lines;
mod properties;

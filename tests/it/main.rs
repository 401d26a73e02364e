//! Tests of the program as its users run it, and of properties of the whole tree; part of `scripts/test
//! --fast`.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails here, and the line says why"
)]

mod agents;
mod clients;
mod clock;
mod copy;
mod docs;
mod doctor;
mod ending;
mod feed;
mod fuzz;
mod invariants;
mod one_path;
mod one_path_faces;
mod policy;
mod printed;
mod programs;
mod renewal;
mod repair;
mod restart;
mod rules;
mod samples;
mod sandbox;
mod scripts;
mod secrets;
mod setup;
mod style;
mod transcript;
mod waiting;
mod words;

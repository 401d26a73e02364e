//! Every case in the repository, judged once, and what must hold of the verdicts.
#![expect(clippy::disallowed_methods, reason = "these tests read the files; the crate itself is pure")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails here, and the line says why"
)]

mod bypasses;
mod corpus;
mod figures;
#[expect(unreachable_pub, clippy::expect_used, reason = "public in the crate of the other tests")]
#[path = "../../../../../tests/support/cases.rs"]
mod files;
mod judged;

use judged::judged;

//! Faults of the machine and of its disk, each as a story with a real host.
//!
//! Nothing that was acknowledged is lost, nothing hangs longer than its deadline, nothing runs twice, and `postern doctor`
//! names the cause. `scripts/faults` runs these and every other test of faults.

mod disk;
mod hosts;
mod limits;
mod locked;
mod record;
mod stalled;
mod threads;
mod tools;

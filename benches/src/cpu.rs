//! On which processors the two sides of a figure run: the scheduler would decide the ratio otherwise. Only Linux lets a
//! program choose.

#[cfg(target_os = "linux")]
pub(crate) use linux::{all, pin, pin_this};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{all, pin, pin_this};

#[cfg(target_os = "linux")]
mod linux {
    use rustix::process::Pid;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// Lets the calling thread, and what it starts, run on these processors alone.
    pub(crate) fn pin_this(cpus: &[usize]) -> anyhow::Result<()> {
        Ok(sched_setaffinity(None, &set(cpus))?)
    }

    /// Lets every thread of a process run on these processors alone. Threads that it starts later follow those that start them.
    pub(crate) fn pin(pid: u32, cpus: &[usize]) -> anyhow::Result<()> {
        for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
            let id = thread?.file_name().to_str().and_then(|id| id.parse().ok()).and_then(Pid::from_raw);
            // One that has ended meanwhile runs nowhere.
            _ = sched_setaffinity(id, &set(cpus));
        }
        Ok(())
    }

    /// Returns all processors that this process may use.
    pub(crate) fn all() -> anyhow::Result<Vec<usize>> {
        let set = sched_getaffinity(None)?;
        Ok((0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect())
    }

    fn set(cpus: &[usize]) -> CpuSet {
        let mut set = CpuSet::new();
        for cpu in cpus {
            set.set(*cpu);
        }
        set
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use anyhow::bail;

    pub(crate) fn pin_this(_: &[usize]) -> anyhow::Result<()> {
        bail!("this figure needs Linux")
    }

    pub(crate) fn pin(_: u32, _: &[usize]) -> anyhow::Result<()> {
        bail!("this figure needs Linux")
    }

    pub(crate) fn all() -> anyhow::Result<Vec<usize>> {
        bail!("this figure needs Linux")
    }
}

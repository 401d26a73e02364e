//! Memory that the process has freed but keeps from the system.
#![cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the allocator has no safe form")
)]

/// Gives memory that nobody uses back to the system. Takes milliseconds; allocators of other systems do so by themselves.
pub fn give_back_memory() {
    // SAFETY: it takes the allocator's own locks, and moves nothing that is in use.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::malloc_trim(0);
    }
}

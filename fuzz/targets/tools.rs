#![no_main]

// Not in the library: the ordinary tests replay its corpus beside the doors, which bring much with them.
#[path = "../src/tools.rs"]
mod tools;

libfuzzer_sys::fuzz_target!(|data: &[u8]| tools::check(data));

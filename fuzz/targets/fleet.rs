#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| postern_fuzz::fleet::check(data));

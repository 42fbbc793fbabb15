//! No messages break the process that reads a file, whatever they are, and its answers are messages.
#![no_main]

#[path = "../../crates/read/tests/kept_corpus/messages.rs"]
mod messages;
#[path = "../reading/refused_files.rs"]
mod refused_files;

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: refused_files::let_parts_break(), |bytes: &[u8]| {
    assert_eq!(messages::fault_of_answers(bytes), None);
});

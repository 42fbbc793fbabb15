//! No answers of the process that reads a file break the one that waits for them, and what it takes from them is sound.
//!
//! An input is the answer to the task of reading a text.
#![no_main]

#[path = "../../crates/read/tests/kept_corpus/answers.rs"]
mod answers;
#[path = "../../crates/read/tests/kept_corpus/soundness.rs"]
mod soundness;

use answers::AnsweredReader;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static READER: LazyLock<AnsweredReader> = LazyLock::new(|| AnsweredReader::in_folder(&std::env::temp_dir()));

fuzz_target!(|bytes: &[u8]| {
    let document = READER.document(bytes).expect("the folder of temporary files can be written");
    assert_eq!(soundness::fault_of(&document), None);
});

//! No bytes break the reader of their kind, and what it reads is sound.
//!
//! The variable `LOOPCTL_FUZZ_KIND` is the beginning of the media type of files that are tried (`image/`; `text/plain` for those
//! without a reader of their own); all are without it. A package is changed in one of its parts, and packed again.
#![no_main]

#[path = "../reading/package_mutation.rs"]
mod package_mutation;
#[path = "../reading/refused_files.rs"]
mod refused_files;
#[path = "../../crates/read/tests/kept_corpus/soundness.rs"]
mod soundness;

use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};
use loopctl_core::value::DocumentId;
use loopctl_read::DocumentReader;
use std::sync::LazyLock;

/// One file of so many is read again.
const READ_AGAIN: usize = 4;

/// The beginning of the media type of files that are tried.
static KIND: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("LOOPCTL_FUZZ_KIND").ok());

fuzz_target!(
    init: refused_files::let_parts_break(),
    |bytes: &[u8]| -> Corpus {
        let kind = DocumentReader::media_type(bytes);
        if KIND.as_deref().is_some_and(|wanted| !kind.unwrap_or("text/plain").starts_with(wanted)) {
            return Corpus::Reject;
        }
        let reader = DocumentReader::in_process();
        if kind.is_some_and(|kind| kind.starts_with("image/") || kind == "application/pdf") {
            let _ = reader.page_picture(bytes, 1, 0.25);
        }
        let document = reader.document(DocumentId::new("x"), bytes.to_vec());
        assert_eq!(soundness::fault_of(&document), None);
        if bytes.len().is_multiple_of(READ_AGAIN) {
            let again = reader.document(DocumentId::new("x"), bytes.to_vec());
            assert_eq!(document.text, again.text, "it is read otherwise the second time");
            assert_eq!(document.structure, again.structure, "it is marked otherwise the second time");
        }
        Corpus::Keep
    }
);

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let changed = data.get(..size).and_then(|file| {
        package_mutation::changed(file, seed, max_size, |part, size| fuzzer_mutate(part, size, part.len()))
    });
    match changed {
        Some(package) if package.len() <= max_size => {
            data[..package.len()].copy_from_slice(&package);
            package.len()
        }
        Some(_) | None => fuzzer_mutate(data, size, max_size),
    }
});

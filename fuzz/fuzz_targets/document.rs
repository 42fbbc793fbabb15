//! No bytes break the reader of documents, and each word that it places has a text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopctl::ingest::DocumentReader;
use loopctl::value::DocumentId;

fuzz_target!(|bytes: &[u8]| {
    let document = DocumentReader::in_process().document(DocumentId::new("x"), bytes.to_vec());
    let (Ok(text), Some(pages)) = (&document.text, &document.pages) else { return };
    for word in pages.iter().flat_map(|page| &page.words) {
        assert!(text.as_str().get(word.text()).is_some_and(|text| !text.is_empty()));
    }
});

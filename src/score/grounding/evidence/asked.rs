//! What a document says of one field, without a candidate: for trying vocabularies.

use super::super::{Grounder, Reading};
use crate::rules::Assertion;

impl Grounder<'_> {
    /// Every mention of the field `key` that a vocabulary reads, as canonical value and how it is asserted, in order.
    pub(crate) fn mentions_of(
        &mut self,
        key: &str,
        vocabulary: usize,
        reading: Reading<'_>,
    ) -> Vec<(String, Assertion)> {
        let Some(reader) = reading.lexicon.reader(vocabulary) else { return Vec::new() };
        let place = self.at_top(key);
        let mentions = self.document(reading).mentions(vocabulary, reader, &self.names(&place), true);
        let said = mentions.iter().map(|one| (reader.value(one.value).to_owned(), one.asserted.how));
        said.collect()
    }
}

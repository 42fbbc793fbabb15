//! The documents that policies are chosen on, and those that they are judged on.

use crate::Trajectories;
use crate::statistics::Seeded;
use serde_json::Value;

/// Two parts of the documents. Documents of one id are in one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Policies are chosen on these.
    pub train: Vec<usize>,
    /// And judged on these.
    pub test: Vec<usize>,
}

impl Split {
    /// Puts the share `test` of the ids into the part of that name: those that come first when the sorted ids are shuffled by
    /// `seed`. So the order of the lines does not matter.
    #[must_use]
    pub fn of(trajectories: &Trajectories, test: f64, seed: u64) -> Self {
        let ids: Vec<String> =
            (0..trajectories.documents()).map(|document| id_of(trajectories, document)).collect();
        Self::of_ids(&ids, test, seed)
    }

    /// Like [`Split::of`], for documents whose ids are known, in their order.
    #[must_use]
    pub fn of_ids(documents: &[String], test: f64, seed: u64) -> Self {
        let mut ids: Vec<&String> = documents.iter().collect();
        ids.sort_unstable();
        ids.dedup();
        Seeded::new(seed).shuffle(&mut ids);
        #[expect(clippy::cast_precision_loss, reason = "counts of documents")]
        let wanted = (ids.len() as f64 * test).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most their number")]
        ids.truncate(wanted as usize);
        ids.sort_unstable();
        let is_test = |at: &usize| documents.get(*at).is_some_and(|id| ids.binary_search(&id).is_ok());
        let (test, train) = (0..documents.len()).partition(is_test);
        Split { train, test }
    }

    /// The ids of the documents of both parts, as they were recorded.
    #[must_use]
    pub fn ids(&self, trajectories: &Trajectories) -> [Vec<Value>; 2] {
        let id = |document: &usize| trajectories.id(*document).cloned().unwrap_or_default();
        [&self.train, &self.test].map(|part| part.iter().map(id).collect())
    }
}

/// A document's id as text.
fn id_of(trajectories: &Trajectories, document: usize) -> String {
    trajectories.id(document).map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trajectories(ids: &[u8]) -> Trajectories {
        let mut trajectories = Trajectories::new(false);
        for id in ids {
            trajectories.read_line(format!("{{\"id\": \"{id}\", \"iterations\": []}}").as_bytes()).unwrap();
        }
        trajectories
    }

    proptest! {
        #[test]
        fn every_document_is_in_one_part_and_those_of_an_id_in_the_same(
            ids in prop::collection::vec(0..20_u8, 0..40), seed in any::<u64>(),
        ) {
            let split = Split::of(&trajectories(&ids), 0.5, seed);
            let mut all = [split.train.clone(), split.test.clone()].concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..ids.len()).collect::<Vec<_>>());
            for one in &split.train {
                prop_assert!(split.test.iter().all(|other| ids[*one] != ids[*other]));
            }
            // The order of the lines does not matter.
            let mut reversed = ids.clone();
            reversed.reverse();
            let mirrored: Vec<usize> = Split::of(&trajectories(&reversed), 0.5, seed).test;
            let mut mirrored: Vec<usize> = mirrored.into_iter().map(|at| ids.len() - 1 - at).collect();
            mirrored.sort_unstable();
            prop_assert_eq!(mirrored, split.test);
        }
    }
}

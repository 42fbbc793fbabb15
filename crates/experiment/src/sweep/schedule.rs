//! The numbers of policies and documents in each round: successive halving (Jamieson and Talwalkar 2016) with η = 2.

/// A round as it is planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heat {
    /// The most policies that begin it.
    pub policies: usize,
    /// The number of documents that they have run on at its end, including those of earlier rounds.
    pub documents: usize,
}

/// The rounds of a race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    heats: Vec<Heat>,
}

impl Schedule {
    /// All policies run on the `first` documents, half of them continue on twice as many, until one is left or every
    /// document of `documents` was used. No rounds without policies or documents.
    #[must_use]
    pub fn of(policies: usize, documents: usize, first: usize) -> Self {
        let mut heats = Vec::new();
        let mut heat = Heat { policies, documents: first.max(1).min(documents) };
        if policies > 0 && documents > 0 {
            heats.push(heat);
            while heat.policies > 2 && heat.documents < documents {
                heat = Heat {
                    policies: heat.policies.div_ceil(2),
                    documents: heat.documents.saturating_mul(2).min(documents),
                };
                heats.push(heat);
            }
        }
        Schedule { heats }
    }

    /// The rounds in their order.
    #[must_use]
    pub fn heats(&self) -> &[Heat] {
        &self.heats
    }

    /// The most documents that are used.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.heats.last().map_or(0, |heat| heat.documents)
    }

    /// The most runs of a policy on a document, all policies together; the reference is not counted.
    #[must_use]
    pub fn runs(&self) -> usize {
        let mut before = 0;
        let of_heat = |heat: &Heat| {
            let fresh = heat.documents - before;
            before = heat.documents;
            heat.policies.saturating_mul(fresh)
        };
        self.heats.iter().map(of_heat).fold(0, usize::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn half_of_the_policies_go_on_to_twice_the_documents() {
        let heats = |policies, documents, first| {
            let schedule = Schedule::of(policies, documents, first);
            schedule.heats().iter().map(|heat| (heat.policies, heat.documents)).collect::<Vec<_>>()
        };
        assert_eq!(heats(8, 100, 4), [(8, 4), (4, 8), (2, 16)]);
        assert_eq!(heats(8, 10, 4), [(8, 4), (4, 8), (2, 10)]);
        assert_eq!(heats(5, 6, 4), [(5, 4), (3, 6)]);
        assert_eq!(heats(1, 6, 4), [(1, 4)]);
        assert_eq!(heats(0, 6, 4), []);
        assert_eq!(heats(3, 0, 4), []);
        assert_eq!(Schedule::of(8, 100, 4).runs(), 8 * 4 + 4 * 4 + 2 * 8);
    }

    proptest! {
        #[test]
        fn no_round_has_more_policies_or_fewer_documents_than_the_one_before(
            policies in 0..2_000_usize, documents in 0..500_usize, first in 0..50_usize,
        ) {
            let schedule = Schedule::of(policies, documents, first);
            prop_assert!(schedule.documents() <= documents);
            for pair in schedule.heats().windows(2) {
                prop_assert!(pair[1].policies < pair[0].policies && pair[1].documents > pair[0].documents);
            }
            prop_assert!(schedule.runs() <= policies * documents);
            // More policies never take fewer runs.
            prop_assert!(Schedule::of(policies + 1, documents, first).runs() >= schedule.runs());
        }
    }
}

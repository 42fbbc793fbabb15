//! The shares of a run's documents that are drawn for review: settled when the run begins, and never changed.

use super::{Journal, RunId, StoreError};
use rusqlite::{Connection, params};
use serde_json::json;
use std::collections::BTreeMap;

/// The setting of the service that runs are begun with.
const SETTING: &str = "review_shares";

/// The shares that are drawn of the documents of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReviewShares {
    /// For the audit sample, of all documents.
    pub audit: f64,
    /// For a second review, of those that are reviewed.
    pub second: f64,
}

impl ReviewShares {
    /// The shares of runs of which nothing is known.
    pub const NONE: ReviewShares = ReviewShares { audit: 0.0, second: 0.0 };
}

impl Journal {
    /// The shares of a run.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn review_shares(&self, run: &RunId) -> Result<ReviewShares, StoreError> {
        let query =
            "SELECT s.audit, s.second FROM review_shares s JOIN runs r ON r.number = s.run WHERE r.id = ?1";
        let found = self.select(query, [run.as_str()], |row| {
            Ok(ReviewShares { audit: row.get(0)?, second: row.get(1)? })
        })?;
        Ok(found.into_iter().next().unwrap_or(ReviewShares::NONE))
    }

    /// The shares of every run that has some.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn all_review_shares(&self) -> Result<BTreeMap<RunId, ReviewShares>, StoreError> {
        let query = "SELECT r.id, s.audit, s.second FROM review_shares s JOIN runs r ON r.number = s.run";
        let found = self.select(query, [], |row| {
            Ok((
                RunId::new(row.get::<_, String>(0)?),
                ReviewShares { audit: row.get(1)?, second: row.get(2)? },
            ))
        })?;
        Ok(found.into_iter().collect())
    }

    /// The shares of runs that begin from now on; `None` where they were never set.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn coming_review_shares(&self) -> Result<Option<ReviewShares>, StoreError> {
        let value = self.service_setting(SETTING)?;
        Ok(value.and_then(|value| {
            let share = |name: &str| value.get(name)?.as_f64();
            Some(ReviewShares { audit: share("audit")?, second: share("second")? })
        }))
    }

    /// Sets the shares of runs that begin from now on. Those of existing runs do not change.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn set_coming_review_shares(&self, shares: ReviewShares) -> Result<(), StoreError> {
        let within = |share: f64| if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let value = json!({ "audit": within(shares.audit), "second": within(shares.second) });
        self.set_service_setting(SETTING, &value)
    }

    /// Settles the shares of runs that began before there were any, and of those to come: those that are set, else
    /// `usual`. Shares that are settled already do not change.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn settle_review_shares(&self, usual: ReviewShares) -> Result<(), StoreError> {
        let shares = match self.coming_review_shares()? {
            Some(set) => set,
            None => {
                self.set_coming_review_shares(usual)?;
                usual
            }
        };
        self.transact(|connection| {
            let query = "INSERT INTO review_shares (run, audit, second)
                         SELECT number, ?1, ?2 FROM runs WHERE number NOT IN (SELECT run FROM review_shares)";
            let added = connection.execute(query, params![shares.audit, shares.second]);
            added.map(drop).map_err(|error| self.sqlite(&error))
        })
    }
}

/// Settles the shares of a run that begins, where a service has set them.
pub(super) fn settle(connection: &Connection, run: &str) -> rusqlite::Result<()> {
    let query = "INSERT INTO review_shares (run, audit, second)
                 SELECT r.number, coalesce(json_extract(s.value, '$.audit'), 0.0), coalesce(json_extract(s.value, '$.second'), 0.0)
                 FROM runs r, service_settings s WHERE r.id = ?1 AND s.name = ?2";
    connection.prepare_cached(query)?.execute(params![run, SETTING]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::RunRecord;
    use super::*;

    fn begin(journal: &Journal) -> RunId {
        let run = RunRecord {
            started_at: "2026-01-31T12:00:00Z".to_owned(),
            profile: "clinical".to_owned(),
            profile_digest: "d".to_owned(),
            loopctl_version: "0".to_owned(),
            plugins: json!([]),
            settings: json!({}),
        };
        journal.begin_run(&run).unwrap()
    }

    #[test]
    fn the_shares_of_a_run_are_those_of_its_beginning() {
        let journal = Journal::in_memory().unwrap();
        let (early, usual) = (begin(&journal), ReviewShares { audit: 0.02, second: 0.1 });
        assert_eq!(journal.review_shares(&early).unwrap(), ReviewShares::NONE);
        journal.settle_review_shares(usual).unwrap();
        let with_usual = begin(&journal);
        let more = ReviewShares { audit: 0.5, second: 7.0 };
        journal.set_coming_review_shares(more).unwrap();
        let with_more = begin(&journal);
        journal.settle_review_shares(usual).unwrap();
        let of = |run: &RunId| journal.review_shares(run).unwrap();
        assert_eq!((of(&early), of(&with_usual)), (usual, usual));
        assert_eq!(of(&with_more), ReviewShares { audit: 0.5, second: 1.0 });
        assert_eq!(journal.all_review_shares().unwrap().len(), 3);
        let refused = journal.connection().execute("UPDATE review_shares SET audit = 1", []).unwrap_err();
        assert!(refused.to_string().contains("never changed"));
        journal.remove_run(&early).unwrap();
        assert_eq!(of(&early), ReviewShares::NONE);
    }
}

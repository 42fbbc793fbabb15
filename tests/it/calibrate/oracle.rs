//! Tails and exact bounds, held against what scipy says (`oracle.py` writes `oracle.json`).

use loopctl::experiment::calibrate::{binomial_cdf, hypergeometric_cdf, most_wrong, upper_bound};
use serde_json::Value;

fn rows(table: &str) -> Vec<Vec<f64>> {
    let text = include_str!("oracle.json");
    let tables: Value = serde_json::from_str(text).unwrap();
    let rows = tables[table].as_array().unwrap().iter();
    rows.map(|row| row.as_array().unwrap().iter().map(|cell| cell.as_f64().unwrap()).collect()).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of the table")]
fn count(number: f64) -> u64 {
    number as u64
}

/// Relative to the larger of both, or absolute where scipy itself has few digits left.
fn assert_close(ours: f64, theirs: f64, row: &[f64]) {
    let allowed = (theirs.abs() * 1e-9).max(1e-14);
    assert!((ours - theirs).abs() <= allowed, "{row:?}: {ours} is not {theirs}");
}

#[test]
fn binomial_tails_are_those_of_scipy() {
    let rows = rows("binomial_cdf");
    assert!(rows.len() > 200);
    for row in rows {
        let [k, n, p, theirs] = row[..] else { panic!("{row:?}") };
        assert_close(binomial_cdf(count(k), count(n), p), theirs, &row);
    }
}

#[test]
fn hypergeometric_tails_are_those_of_scipy() {
    let rows = rows("hypergeometric_cdf");
    assert!(rows.len() > 200);
    for row in rows {
        let [k, population, wrong, drawn, theirs] = row[..] else { panic!("{row:?}") };
        let ours = hypergeometric_cdf(count(k), count(population), count(wrong), count(drawn));
        assert_close(ours, theirs, &row);
    }
}

#[test]
fn exact_bounds_are_those_of_the_beta_distribution() {
    let rows = rows("upper_bound");
    assert!(rows.len() > 80);
    for row in rows {
        let [k, n, delta, theirs] = row[..] else { panic!("{row:?}") };
        assert_close(upper_bound(count(k), count(n), delta), theirs, &row);
    }
}

#[test]
fn bounds_of_a_batch_are_those_of_counting() {
    for row in rows("most_wrong") {
        let [k, n, population, delta, theirs] = row[..] else { panic!("{row:?}") };
        assert_eq!(most_wrong(count(k), count(n), count(population), delta), count(theirs), "{row:?}");
    }
}

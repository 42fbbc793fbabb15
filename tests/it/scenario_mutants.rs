//! Breaking any line of a shipped profile makes one of its cases fail.

use loopctl::diag::{Problems, Style, render_human};
use loopctl::experiment::scenario::survivors;
use loopctl::profile::{Library, available};

#[test]
fn every_line_of_a_shipped_profile_is_guarded_by_a_case() {
    let library = Library::embedded();
    let mut report = String::new();
    for profile in available(&library) {
        let started = std::time::Instant::now();
        let mut problems = Problems::new();
        let Some(mutation) = survivors(&profile, &library, &mut problems) else {
            report.push_str(&format!("{profile}: {}\n", render_human(&problems, Style::Plain)));
            continue;
        };
        println!(
            "{profile}: {} noticed, {} equivalent, {} survive {:?}",
            mutation.noticed,
            mutation.equivalent,
            mutation.survivors.len(),
            started.elapsed()
        );
        for survivor in mutation.survivors {
            report.push_str(&format!(
                "profiles/{profile}.yaml:{}: no case notices `{}`\n",
                survivor.line, survivor.name
            ));
        }
    }
    assert_eq!(report, "");
}

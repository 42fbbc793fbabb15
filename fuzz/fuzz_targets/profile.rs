//! No profile breaks loading or compiling: everything wrong with it is a problem that can be rendered.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopctl::diag::{Problems, Style, render_human};
use loopctl::profile::{Library, load};
use loopctl::plan::Plan;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = file_with(bytes) else { return };
    let mut problems = Problems::new();
    let loaded = load(&file, &Library::embedded(), &[], &|_| None, &mut problems);
    let plan = loaded.and_then(|loaded| Plan::compile(&loaded, &mut problems));
    assert!(plan.is_none() || !problems.has_errors());
    let _ = render_human(&problems, Style::Plain);
});

/// Overwrites this process's file, and returns its path.
fn file_with(bytes: &[u8]) -> std::io::Result<String> {
    let path = std::env::temp_dir().join(format!("loopctl-fuzz-{}.yaml", std::process::id()));
    std::fs::write(&path, bytes)?;
    Ok(path.to_string_lossy().into_owned())
}

# What CI runs, step by step; `.ci/run` is all of it.

# everything that must hold before a change is taken
check:
    .ci/run

# all tests, as CI runs them
test *ARGS:
    cargo test --workspace --locked -- --include-ignored {{ ARGS }}

# all but the long ones
quick *ARGS:
    cargo test --workspace --locked {{ ARGS }}

# property tests with cases that nobody has tried yet, forty times as many as usual
explore *ARGS:
    PROPTEST_CASES=10000 cargo test --workspace --locked {{ ARGS }} -- --include-ignored

# does a case notice when any line of a shipped profile is broken?
mutants:
    cargo test --locked --test it -- --include-ignored scenario_mutants

format:
    cargo fmt --all

format-check:
    cargo fmt --all --check

lint:
    cargo clippy --workspace --all-targets --locked -- -D warnings

doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# run the clinical profile on a real report
demo:
    cargo run --locked -- run --profile clinical --out out examples/reports/liver-resection.txt

# rewrite the golden files, then look at the difference
update:
    LOOPCTL_UPDATE=1 INSTA_UPDATE=always cargo test --workspace --locked -- --include-ignored

# lines of code by package, without blanks, comments and unit tests; then files of more than 500 lines, and programs started in tests
house:
    #!/usr/bin/env bash
    set -euo pipefail
    code() {
        find "$1" -name '*.rs' -not -path '*/tests/*' -not -name '*tests.rs' -exec awk '
            FNR == 1 { test = 0; marked = 0 }
            marked { marked = 0; if ($1 == "mod" && $NF == "{") test = 1 }
            /^#\[cfg\(test\)\]/ { marked = 1; next }
            !test && NF && $1 !~ "^//"' {} + | wc -l
    }
    for package in src crates/* plugins/*; do
        printf '%7d  %s\n' "$(code "$package")" "$package"
    done | sort -rn
    printf '%7d  files of more than 500 lines\n' "$(find src crates plugins -name '*.rs' -size +1k -exec wc -l {} + | awk '$2 != "total" && $1 > 500' | wc -l)"
    printf '%7d  starts of the program in tests\n' "$(grep -rE '\.(run|run_json|loopctl|process)\(&?\[' tests/it --include='*.rs' | wc -l)"

# how good extractions are on a folder of labelled documents
quality FOLDER PROFILE="clinical":
    cargo run --locked -- evaluate --fresh --profile {{ PROFILE }} {{ FOLDER }}

# the book, as HTML in target/book; needs mdbook
book:
    mdbook build docs

bench:
    cargo bench --locked

# has scoring become slower, held against the same rules written by hand? benches/*.txt have what it was; valgrind counts instructions
bench-check:
    cargo bench --locked -- ratios
    cargo bench --locked -- instructions

# licences, advisories and sources of all dependencies; needs cargo-deny
deny:
    cargo deny check

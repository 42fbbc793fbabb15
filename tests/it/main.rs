//! Black-box tests, one module per capability, in one binary: each further binary would link everything again.

#[cfg(test)]
mod aas;
#[cfg(test)]
mod applies_when;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod batch_server;
#[cfg(test)]
mod book;
#[cfg(test)]
mod broken;
#[cfg(test)]
mod calibrate;
#[cfg(test)]
mod cassette_askers;
#[cfg(test)]
mod cassettes;
#[cfg(test)]
mod check;
#[cfg(test)]
mod check_more;
#[cfg(test)]
mod code_pages;
#[cfg(test)]
mod command;
#[cfg(test)]
mod command_line;
#[cfg(test)]
mod completions;
#[cfg(test)]
mod costs;
#[cfg(test)]
mod criteria;
#[cfg(test)]
mod decider;
#[cfg(test)]
mod dependencies;
#[cfg(test)]
mod dispositions;
#[cfg(test)]
mod documentation;
#[cfg(test)]
mod durable;
#[cfg(test)]
mod embedded;
#[cfg(test)]
mod engine;
#[cfg(test)]
mod evaluate;
#[cfg(test)]
mod evaluate_clusters;
#[cfg(test)]
mod evaluate_refused;
#[cfg(test)]
mod evidence;
#[cfg(test)]
mod evidence_injections;
#[cfg(test)]
mod evidence_properties;
#[cfg(test)]
mod evidence_numbers;
#[cfg(test)]
mod evidence_owners;
#[cfg(test)]
mod evidence_subjects;
#[cfg(test)]
mod evidence_wordings;
#[cfg(test)]
mod exhaustive;
#[cfg(test)]
mod explain_run;
#[cfg(test)]
mod exports;
#[cfg(test)]
mod foreign;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod image;
#[cfg(test)]
mod injection;
#[cfg(test)]
mod in_process;
#[cfg(test)]
mod inputs;
#[cfg(test)]
mod interrupt;
#[cfg(test)]
mod issue_pages;
#[cfg(test)]
mod item_keys;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod judges;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod known_fields;
#[cfg(test)]
mod lab_reports;
#[cfg(test)]
mod language_server;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod left_behind;
#[cfg(test)]
mod loop_inventions;
#[cfg(test)]
mod loop_model;
#[cfg(test)]
mod loopback;
#[cfg(test)]
mod neighbour;
#[cfg(test)]
mod new_vocabulary;
#[cfg(test)]
mod next;
#[cfg(test)]
mod one_assessment;
#[cfg(test)]
mod otlp;
#[cfg(test)]
mod page_labels;
#[cfg(test)]
mod page_gate;
mod page_view;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod panel;
#[cfg(test)]
mod parts;
#[cfg(test)]
mod pattern_choice;
#[cfg(test)]
mod path_bytes;
#[cfg(test)]
mod pdf;
#[cfg(test)]
mod pipeline;
#[cfg(test)]
mod placeholders;
#[cfg(test)]
mod places;
#[cfg(test)]
mod plugin_check;
#[cfg(test)]
mod plugin_ends;
#[cfg(test)]
mod plugin_new;
#[cfg(test)]
mod plugin_payloads;
#[cfg(test)]
mod plugin_verbs;
#[cfg(test)]
mod points;
#[cfg(test)]
mod policy;
#[cfg(test)]
mod policy_lints;
#[cfg(test)]
mod profile_statements;
#[cfg(test)]
mod profile_verbs;
#[cfg(test)]
mod profiles;
#[cfg(test)]
mod project;
#[cfg(test)]
mod prove;
#[cfg(test)]
mod prove_model;
#[cfg(test)]
mod prove_not_shown;
#[cfg(test)]
mod prove_tried;
#[cfg(test)]
mod provider;
#[cfg(test)]
mod quotes;
#[cfg(unix)]
#[cfg(test)]
mod reach;
#[cfg(test)]
mod read;
#[cfg(test)]
mod recorded_runs;
#[cfg(test)]
mod repair;
#[cfg(test)]
mod review;
#[cfg(test)]
mod run;
#[cfg(test)]
mod salvage;
#[cfg(test)]
mod scenario_mutants;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod score;
#[cfg(test)]
mod score_model;
#[cfg(test)]
mod sections;
#[cfg(test)]
mod serve;
#[cfg(test)]
mod shape;
#[cfg(test)]
mod shipped_pipelines;
#[cfg(test)]
mod simulate;
#[cfg(test)]
mod simulate_run;
#[cfg(test)]
mod slips;
#[cfg(test)]
mod small_model;
#[cfg(test)]
mod split_scans;
#[cfg(test)]
mod surface;
#[cfg(test)]
mod sweep;
#[cfg(test)]
mod sweep_race;
#[cfg(test)]
mod telemetry;
#[cfg(test)]
mod trajectories;
#[cfg(test)]
mod untrusted_text;
#[cfg(test)]
mod validate_correct;
#[cfg(test)]
mod value_judge;
#[cfg(test)]
mod vendors;
#[cfg(test)]
mod watch;
#[cfg(test)]
mod waves;
#[cfg(test)]
mod which_answer;
#[cfg(test)]
mod workspace;
#[cfg(test)]
mod wording;

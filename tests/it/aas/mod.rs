mod rules;
mod run;
mod schema;

mod quality;
mod rules;
mod run;
mod schema;

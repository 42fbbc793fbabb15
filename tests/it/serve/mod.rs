//! The service, as its callers see it: over HTTP.

<<<<<<< HEAD
mod browser;
mod desk;
=======
>>>>>>> main
mod jobs;
mod running;

"""Asks a running service through a client that openapi-python-client made of its description.

client.py ADDRESS TOKEN FILE: submits the file twice with one key, follows it to its end, and reads what it came to.
"""

import sys
import time

from loopctl_client import AuthenticatedClient
from loopctl_client.api.jobs import cancel_job, explain_job, get_job, get_result, list_jobs, submit_document
from loopctl_client.api.profiles import list_profiles, score_extraction
from loopctl_client.models import ErrorAnswer, NewJobRequest, ScoreRequest, ScoreRequestExtraction

address, token, file = sys.argv[1:4]
with open(file, encoding="utf-8") as opened:
    text = opened.read()

client = AuthenticatedClient(base_url=address, token=token)
with client:
    assert "clinical" in list_profiles.sync(client=client).profiles
    request = NewJobRequest(text=text, file_name="report.txt", profile="clinical")
    job = submit_document.sync(client=client, body=request, idempotency_key="key-1")
    again = submit_document.sync(client=client, body=request, idempotency_key="key-1")
    assert job.id == again.id, (job, again)
    deadline = time.monotonic() + 120
    while job.status not in ("finished", "failed", "cancelled"):
        assert time.monotonic() < deadline, job
        time.sleep(0.05)
        job = get_job.sync(job=job.id, client=client)
    assert job.status == "finished", job
    assert [known.id for known in list_jobs.sync(client=client).jobs] == [job.id]
    found = get_result.sync(job=job.id, client=client)
    extraction = found["best_extraction"]
    assert job.outcome.document_type == found["document_type"]
    assert explain_job.sync(job=job.id, client=client)["document"] == "report"
    assert cancel_job.sync(job=job.id, client=client).status == "finished"
    scored = score_extraction.sync(
        client=client,
        body=ScoreRequest(text=text, extraction=ScoreRequestExtraction.from_dict(extraction), profile="clinical"),
    )
    assert scored.document_type == job.outcome.document_type, scored
    missing = get_job.sync(job="nothing", client=client)
    assert isinstance(missing, ErrorAnswer) and "nothing" in missing.error, missing

with AuthenticatedClient(base_url=address, token="loopctl_wrong") as stranger:
    refused = list_jobs.sync(client=stranger)
    assert isinstance(refused, ErrorAnswer) and "token" in refused.error, refused

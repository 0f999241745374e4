"""The landing page of the report, which workflow/report/workflow.rst asks for. No rules here."""


def landing_page(categories):
    """Return the landing page, as HTML, of a report that shows these results."""
    jobs = [job for job in workflow.dag.jobs if job.output]
    done = [
        landing.ReportedJob(job.rule.name, job.wildcards, [*map(str, job.output)], str(job.benchmark or ""))
        for job in jobs
    ]
    results = [
        reported_result(category.name, result)
        for category, groups in categories.items()
        for group in groups.values()
        for result in group
    ]
    page = checked(landing.landing, RUN, done, results, rule_stages(ROOT), weaknesses(jobs))
    return render_landing(page)


def reported_result(category, result):
    """Return what the landing page shows of a result; its rule's parameters have a title, whatever their name."""
    described = [result.job.params.get(name) or {} for name in ("heading", "about", "spec")]
    return landing.ReportedResult(
        path=str(result.path),
        category=category,
        paper=result.job.wildcards.get("paper", ""),
        name=", ".join((result.labels or {}).values()),
        title=next((about["title"] for about in described if "title" in about), ""),
        caption=result.caption,
    )

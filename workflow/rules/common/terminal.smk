"""What a person sees of a run: few lines instead of Snakemake's own, which --verbose brings back. No rules here."""


def shown_run():
    """Show this run in few lines; return None if it makes no files, or if the user asked for other output.

    As a module xstitch is a part of another workflow, whose output is not ours to shorten.
    """
    settings = workflow.output_settings
    if not workflow.modifier.is_main_snakefile():
        return None
    chosen = settings.verbose or settings.quiet or settings.log_handler_settings or settings.debug_dag
    if not workflow.is_main_process or settings.dryrun or chosen or only_looks(sys.argv[1:]):
        return None
    own = next((handler for handler in LOGGER.handlers if handler.name == "DefaultStreamHandler"), None)
    if own is None:
        return None
    LOGGER.removeHandler(own)
    display = RunDisplay(RunState({}), own.stream)
    LOGGER.addHandler(display)
    display.notice_interrupts()
    return display


def begin_display():
    """Tell the display what there is to do, once the plan is made."""
    if DISPLAY:
        stages = {rule.name: Path(rule.snakefile).stem for rule in workflow.rules}
        cores = "1 core" if workflow.cores == 1 else f"{workflow.cores} cores"
        place = f"on {cores}" if workflow.local_exec else "on a cluster"
        jobs = [job for job in workflow.dag.needrun_jobs() if job.output]
        jobs.sort(key=lambda job: list(stages).index(job.rule.name))
        DISPLAY.state.stages = stages
        planned_jobs = [Planned(job.rule.name, expected_seconds(job)) for job in jobs]
        DISPLAY.begin(planned_jobs, place, filter(None, map(changed_library, jobs)))


def changed_library(job):
    """Say which modules of the library a job runs again for; None if it runs for another reason."""
    return changed_behind(str(workflow.dag.reason(job)), MODULES)


def expected_seconds(job):
    """Look up how long a job took the last time; rules that are over in a second have no benchmark."""
    return last_seconds(job.benchmark) if job.benchmark else 1.0


def end_display(success):
    """Let the display say how the run ended."""
    if DISPLAY:
        DISPLAY.close_run(success)


def explain_unknown_target(record):
    """Answer a target that no rule makes with the nearest ones, in one line."""
    if getattr(record, "exception", None) == "MissingRuleException":
        record.msg = explain(record.msg, known_targets()) or record.msg
    return True


def name_changed_modules(record):
    """Say in the reason for a job which modules of the library changed."""
    if getattr(record, "reason", None):
        record.reason = explain_rerun(record.reason, MODULES)
    return True


def known_targets():
    """List the targets that have names of their own: rules, tables, figures, and files without wildcards."""
    files = [str(file) for rule in workflow.rules for file in rule.output if "{" not in str(file)]
    rules = [rule.name for rule in workflow.rules if not rule.has_wildcards()]
    made = [*tables.short_names(RUN), *tables.possible_tables(RUN)]
    return [*rules, *files, *made, *figures.figure_files(RUN), *curves.curve_files(RUN)]


DISPLAY = shown_run()
LOGGER.addFilter(explain_unknown_target)
LOGGER.addFilter(name_changed_modules)

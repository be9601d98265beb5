/* An autograder for Gradescope as one zip file. */
#ifndef QKV_CLI_GRADE_BUNDLE_H
#define QKV_CLI_GRADE_BUNDLE_H

/* The key, this program and the libraries that it is using now, and the two scripts that Gradescope
 * runs. CLI_SUCCESS, or CLI_FAILURE once that is told. */
int cli_grade_bundle(const char *who, const char *key, const char *path);

#endif

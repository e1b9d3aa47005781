#include <stdio.h>

#define TWICE(x) ((x) * 2)

static const int limit = 5;

static int used(int n)
{
    if (n > limit)
        return -1;
    return TWICE(n);
}

static int unused(int n)
{
    int m = n;

    return m + 1;
}

int main(int argc, char **argv)
{
    if (argc > 5)
        return unused(argc);
    printf("%d\n", used(2));
    return 0;
}
